/** Builds the console: one page, names with hashes, nothing inlined, since the page's policy allows no inline content. */
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: false,
  },
})
