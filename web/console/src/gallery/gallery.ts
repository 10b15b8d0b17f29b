import { mount } from 'svelte';
import Gallery from './Gallery.svelte';
import { setLanguage } from '../i18n.svelte.ts';
import '../style.css';

await setLanguage();
mount(Gallery, { target: document.body });
