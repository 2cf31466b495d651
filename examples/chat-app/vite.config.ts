import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // In a project of your own the package is installed, and this is not needed.
  resolve: {
    alias: { 'durascope/react': fileURLToPath(new URL('../../src/react/index.ts', import.meta.url)) },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4670' } },
});
