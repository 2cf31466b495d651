import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Nothing from elsewhere, nothing inline; pictures in messages are data. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Answers what is a file of the page, or an address inside it; undefined for all else. */
export type AdminPage = (request: Request) => Response | undefined;

/**
 * The page in that folder, which the build has made. Its files are read once, so that no path leads out of the folder; an address of the
 * API is never its own.
 */
export function adminPage(folder: string): AdminPage {
  const files = new Map<string, Buffer>(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(join(folder, file)).isFile())
      .map((file) => [`/${file.split(sep).join('/')}`, readFileSync(join(folder, file))] as const),
  );
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const { pathname } = new URL(request.url);
    if (/^\/(v1|metrics|openapi\.json)(\/|$)/.test(pathname)) return undefined;
    const isDocument = request.headers.get('accept')?.includes('text/html') === true;
    const isPage = isDocument || pathname === '/';
    const path = files.has(pathname) ? pathname : isPage ? '/index.html' : undefined;
    const content = path === undefined ? undefined : files.get(path);
    if (path === undefined || !content) return undefined;
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(content), {
      headers: {
        'content-type': mediaTypes[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': policy,
        // Names of assets hold a digest of what they are.
        'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      },
    });
  };
}

/** Where the build has put the page; undefined before a build. */
export function builtAdminPage(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  // The sources run as they are, too.
  const folder = here.endsWith(join('src', 'server')) ? join(here, '../../dist/ui') : join(here, '../ui');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
