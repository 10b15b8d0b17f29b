import { version } from 'playcanvas';

/** Starts the 3D view in an element of the page. */
export function start(scene: HTMLElement): void {
  scene.dataset['engine'] = version;
}
