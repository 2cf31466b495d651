import { defineConfig } from 'durascope';
import { editor } from './agents.ts';

export default defineConfig({ agents: [editor] });
