// A viewer of captures, as the engine's manual has it made.

import * as pc from './node_modules/playcanvas/build/playcanvas.min.mjs';

const app = new pc.Application(document.getElementById('canvas'), {
  graphicsDeviceOptions: { antialias: false },
});
app.setCanvasFillMode(pc.FILLMODE_NONE, 320, 200);
app.setCanvasResolution(pc.RESOLUTION_FIXED, 320, 200);
app.start();

// Nothing is left out that can be seen.
app.scene.gsplat.minPixelSize = 0;
app.scene.gsplat.minContribution = 0;

const camera = new pc.Entity('camera');
camera.addComponent('camera', { clearColor: new pc.Color(0, 0, 0), farClip: 1000 });
app.root.addChild(camera);

// load returns the asset when the engine has loaded it.
const load = (url) => new Promise((resolve, reject) => {
  const asset = new pc.Asset('capture', 'gsplat', { url });
  asset.once('load', resolve);
  asset.once('error', (problem) => reject(new Error(problem)));
  app.assets.add(asset);
  app.assets.load(asset);
});

// drawn waits for a frame in which all that belongs to it is loaded and sorted, and
// for the next one, which counts what was in that.
const drawn = () => new Promise((resolve) => {
  const look = (from, layer, ready, loading) => {
    if (!ready || loading > 0) return;
    app.systems.gsplat.off('frame:ready', look);
    app.once('frameend', () => app.once('frameend', resolve));
  };
  app.systems.gsplat.on('frame:ready', look);
});

let shown;

// show puts a capture in place of the one before, and returns how many splats
// the engine draws.
window.show = async ({ url, level, eye, target, fieldOfView }) => {
  shown?.entity.destroy();
  shown?.asset.unload();
  camera.setPosition(...eye);
  camera.lookAt(...target);
  camera.camera.fov = fieldOfView;
  const asset = await load(url);
  const entity = new pc.Entity('capture');
  entity.addComponent('gsplat', { asset, lodRangeMin: level, lodRangeMax: level });
  entity.setEulerAngles(0, 0, 180);
  app.root.addChild(entity);
  shown = { asset, entity };
  await drawn();
  return app.stats.frame.gsplats;
};
