import { defineConfig } from 'vite';

/** Builds the console beside the compiled module that serves it. */
export default defineConfig({
  root: import.meta.dirname,
  // The server knows where it is mounted, and makes the references of the page from these.
  base: './',
  resolve: {
    // The console speaks English: without the other translations a tenth of the size.
    alias: { 'cronstrue/i18n.js': 'cronstrue' },
  },
  build: {
    outDir: '../../../dist/lib/console/static',
    emptyOutDir: true,
    target: 'es2022',
    // Everything in files of its own, which is all that the Content-Security-Policy allows.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
