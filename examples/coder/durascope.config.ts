import { defineConfig } from 'durascope';
import { coder } from './agent.ts';

export default defineConfig({ agents: [coder] });
