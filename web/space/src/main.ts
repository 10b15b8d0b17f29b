// The start of the page of a space. The page holds <div id="scene"> with the space's id.

import './style.css';
import './dialogs.css';
import { start } from './start.ts';

const scene = document.getElementById('scene');
if (scene) await start(scene);
