// The start of the page of a space. The page holds <div id="scene"> with the space's id.

import './style.css';

const scene = document.getElementById('scene');
if (scene) {
  const { start } = await import('./start.ts');
  start(scene);
}
