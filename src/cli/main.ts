#!/usr/bin/env node
import { nodeComplaint } from './node-version.ts';

// Before anything else is loaded: an older Node fails in the middle of that, with words that help nobody.
const complaint = nodeComplaint(process.versions.node);
if (complaint === undefined) await import('./start.ts');
else {
  console.error(complaint);
  process.exitCode = 1;
}
