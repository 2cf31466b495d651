import { createRequire } from 'node:module';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const native = new Set<string>();

/** Begins to note which source files this process loads. */
export function noteSourceFiles(): void {
  // Older Node 22 lacks it; there only what the transpiler loads is known.
  if (!('registerHooks' in nodeModule)) return;
  nodeModule.registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:')) native.add(fileURLToPath(url));
      return nextLoad(url, context);
    },
  });
}

/** The files loaded since then that somebody may edit: no packages. */
export function sourceFiles(): string[] {
  // The config's transpiler keeps its modules in the cache of `require`.
  const transpiled = Object.keys(createRequire(import.meta.url).cache);
  return [...new Set([...native, ...transpiled])].filter((path) => !/[/\\]node_modules[/\\]/.test(path));
}
