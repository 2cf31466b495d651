import { defineConfig } from 'durascope';
import { support } from './agent.ts';

export default defineConfig({ agents: [support] });
