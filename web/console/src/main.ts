import { mount } from 'svelte';
import App from './App.svelte';
import { setLanguage } from './i18n.svelte.ts';
import './style.css';

await setLanguage();
const target = document.getElementById('console');
if (target) {
  target.replaceChildren();
  mount(App, { target });
}
