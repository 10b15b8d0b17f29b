// Types of the parts of packages that have none.

declare module 'draco3d/draco_decoder_nodejs.js' {
  const createDecoder: (options: object) => Promise<object>;
  export default createDecoder;
}

declare module 'playcanvas/build/playcanvas/src/framework/parsers/draco-worker.js' {
  export function DracoWorker(self: object): void;
}

declare module 'three/examples/jsm/libs/basis/basis_transcoder.js' {
  const createTranscoder: (options: object) => Promise<object>;
  export default createTranscoder;
}

declare module 'playcanvas/build/playcanvas/src/framework/handlers/basis-worker.js' {
  export function BasisWorker(): void;
}
