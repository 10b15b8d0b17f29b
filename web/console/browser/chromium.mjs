// Chromium, driven by Playwright.
import { createRequire } from 'node:module';

// An import would first read the seven megabytes of Playwright for the names of their exports, which takes
// a third of a second.
export const { chromium } = createRequire(import.meta.url)('playwright-core');
