// The engine's own drawing of a file, as its manual says, without any code of the page of a
// space. Only the camera, the light and the background are those of that page.

import * as pc from './node_modules/playcanvas/build/playcanvas.min.mjs';

const app = new pc.Application(document.getElementById('canvas'), { graphicsDeviceOptions: { antialias: false } });
app.setCanvasFillMode(pc.FILLMODE_NONE);
app.autoRender = false; // without a GPU, each frame costs what the page of the space needs
app.start();
app.scene.ambientLight = new pc.Color(0.55, 0.55, 0.58);

const light = new pc.Entity('light');
light.addComponent('light', { type: 'directional', intensity: 1.1 });
light.setEulerAngles(45, 30, 0);
app.root.addChild(light);

const camera = new pc.Entity('camera');
camera.addComponent('camera', { clearColor: new pc.Color(0.1, 0.11, 0.13), fov: 60, nearClip: 0.05, farClip: 2000 });
app.root.addChild(camera);

const load = (type, url) => new Promise((resolve, reject) => {
  const asset = new pc.Asset('capture', type, { url });
  asset.once('load', resolve);
  asset.once('error', (problem) => reject(new Error(problem)));
  app.assets.add(asset);
  app.assets.load(asset);
});

const frame = () => new Promise((resolve) => app.once('frameend', resolve));

/** Waits for a frame in which everything that belongs to it is loaded and sorted. */
const sorted = () => new Promise((resolve) => {
  const look = (_camera, _layer, ready, loading) => {
    if (!ready || loading > 0) return;
    app.systems.gsplat.off('frame:ready', look);
    resolve();
  };
  app.systems.gsplat.on('frame:ready', look);
});

let shown;

/**
 * Shows a file instead of the one before. The data of Gaussians is turned half around z,
 * unless turn is false: then the picture is one of wrong axes.
 */
window.show = async ({ url, mesh, eye, yaw, pitch, width, height, turn = true }) => {
  shown?.entity.destroy();
  shown?.asset.unload();
  app.resizeCanvas(width, height);
  app.setCanvasResolution(pc.RESOLUTION_FIXED, width, height);
  camera.setPosition(...eye);
  camera.setEulerAngles(pitch, yaw, 0);
  const asset = await load(mesh ? 'container' : 'gsplat', url);
  let entity = new pc.Entity('capture');
  if (mesh) entity = asset.resource.instantiateRenderEntity();
  else entity.addComponent('gsplat', { asset, unified: true });
  // A turned model is upside down, too.
  entity.setEulerAngles(0, 0, turn === !mesh ? 180 : 0);
  app.root.addChild(entity);
  shown = { asset, entity };
  app.autoRender = true;
  if (!mesh) await sorted();
  await frame();
  await frame();
  app.autoRender = false;
};
