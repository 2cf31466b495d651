/** Names and folders that need a person's eye. Every list may be replaced; an empty one turns its check off. All compare without case. */
export interface PathPolicy {
  /** Files that change how programs run, by base name. Writing, moving or deleting them asks. */
  dangerousFiles: readonly string[];
  /** Folders that do the same for what is in them: one segment of a path, or several (`.config/git`). */
  dangerousDirectories: readonly string[];
  /** Folders of the system, absolute. */
  systemDirectories: readonly string[];
  /** Files that hold secrets, by base name; `*` stands for any characters. Reading them asks. */
  sensitiveFiles: readonly string[];
  /** Exceptions from `sensitiveFiles`. */
  harmlessFiles: readonly string[];
  /** Files and folders that hold secrets, by one or more segments of a path. */
  sensitivePaths: readonly string[];
}

export const defaultPathPolicy: PathPolicy = {
  dangerousFiles: [
    '.gitconfig',
    '.gitmodules',
    '.gitattributes',
    // With it a folder may count as a bare repository, whose settings name programs.
    'HEAD',
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
    '.zshrc',
    '.zprofile',
    '.zshenv',
    '.zlogin',
    '.profile',
    '.netrc',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pypirc',
    '.env',
    '.envrc',
    '.env.local',
    '.env.development',
    '.env.development.local',
    '.env.test',
    '.env.test.local',
    '.env.staging',
    '.env.production',
    '.env.production.local',
    '.ripgreprc',
    '.mcp.json',
    'authorized_keys',
  ],
  dangerousDirectories: ['.git', '.vscode', '.idea', '.ssh', '.husky', '.config/git', '.config/fish'],
  systemDirectories: [
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/lib',
    '/lib32',
    '/lib64',
    '/proc',
    '/sbin',
    '/sys',
    '/usr/bin',
    '/usr/lib',
    '/usr/sbin',
    '/usr/share',
    '/usr/include',
    '/Library',
    '/System',
    '/private/etc',
  ],
  sensitiveFiles: [
    '.env',
    '.env.*',
    '*.env',
    '.envrc',
    '.netrc',
    '_netrc',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.pgpass',
    '.my.cnf',
    '.htpasswd',
    '.git-credentials',
    '.vault-token',
    '.bash_history',
    '.zsh_history',
    '.python_history',
    '.psql_history',
    'id_rsa*',
    'id_dsa*',
    'id_ecdsa*',
    'id_ed25519*',
    '*.pem',
    '*.key',
    '*.p12',
    '*.pfx',
    '*.jks',
    '*.keystore',
    '*.kdbx',
    '*.ppk',
    'credentials.json',
    'service-account*.json',
    'service_account*.json',
    'client_secret*.json',
    'secrets.json',
    'secrets.yml',
    'secrets.yaml',
    // Durascope's own, and what belongs to them.
    'store.db*',
    'temporal.db*',
    '*.tfstate',
    '*.tfvars',
    'kubeconfig',
  ],
  harmlessFiles: [
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.dist',
    '.env.defaults',
    'example.env',
    'sample.env',
    '*.pub',
  ],
  sensitivePaths: [
    '.ssh',
    '.aws',
    '.azure',
    '.gnupg',
    '.kube',
    '.docker/config.json',
    '.config/gcloud',
    '.config/gh',
    '.config/op',
    '.config/hub',
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.gem/credentials',
    '.m2/settings.xml',
    '.gradle/gradle.properties',
    '.terraform.d',
    '.password-store',
    '.local/share/keyrings',
    'Library/Keychains',
    '.git/config',
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/sudoers',
    '/etc/sudoers.d',
    '/etc/ssl/private',
    '/run/secrets',
    '/var/run/secrets',
    '/proc/*/environ',
    '/proc/*/mem',
    '/proc/*/root',
  ],
};

/** Whether reading the path may show secrets. The path may be relative; `.` and `..` in it are taken lexically. */
export function isSensitivePath(path: string, policy: Partial<PathPolicy> = {}): boolean {
  const { sensitiveFiles, harmlessFiles, sensitivePaths } = { ...defaultPathPolicy, ...policy };
  const segments = segmentsOf(path);
  const name = segments.at(-1) ?? '';
  if (holdsAny(segments, path, sensitivePaths)) return !matchesAny(name, ['*.pub']);
  return matchesAny(name, sensitiveFiles) && !matchesAny(name, harmlessFiles);
}

/**
 * Why writing, moving or deleting the path is dangerous, as the end of a sentence; undefined when it is not.
 *
 * @param path absolute, or relative to a working directory
 */
export function dangerousPath(path: string, policy: Partial<PathPolicy> = {}): string | undefined {
  const { dangerousFiles, dangerousDirectories, systemDirectories } = { ...defaultPathPolicy, ...policy };
  const segments = segmentsOf(path);
  const name = segments.at(-1) ?? '';
  if (matchesAny(name, dangerousFiles)) return `${name} changes how programs run or holds settings of them`;
  const directory = dangerousDirectories.find((wanted) => holdsAny(segments, path, [wanted]));
  if (directory) return `what is in ${directory} changes how programs run`;
  const system = systemDirectories.find((wanted) => holdsAny(segments, path, [wanted]));
  return system && !isHarmlessDevice(segments) ? `${system} belongs to the system` : undefined;
}

/** `/dev/null` and the standard streams take anything and keep nothing. */
export function isHarmlessDevice(segments: readonly string[]): boolean {
  return /^dev\/(?:null|zero|full|tty|std(?:in|out|err)|fd\/\d+)$/.test(segments.join('/'));
}

/** The segments without `.` and empty ones; `..` takes one away. */
export function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..' && segments.length && segments.at(-1) !== '..') segments.pop();
    else if (segment === '..' && path.startsWith('/')) continue;
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

function holdsAny(segments: readonly string[], path: string, wanted: readonly string[]): boolean {
  return wanted.some((entry) => {
    const { segments: parts, isAbsolute } = readEntry(entry);
    const isAt = (start: number) =>
      start + parts.length <= segments.length &&
      parts.every((pieces, i) => matchesWildcard(segments[start + i]!.toLowerCase(), pieces));
    if (isAbsolute) return path.startsWith('/') && isAt(0);
    return segments.some((_, start) => isAt(start));
  });
}

function matchesAny(name: string, patterns: readonly string[]): boolean {
  const folded = name.toLowerCase();
  return patterns.some((pattern) => matchesWildcard(folded, readEntry(pattern).segments[0] ?? []));
}

interface Entry {
  isAbsolute: boolean;
  /** Each cut at its stars, in lower case. */
  segments: readonly (readonly string[])[];
}

const entries = new Map<string, Entry>();
const maxEntries = 2_000;

/** Every word of every command is tried on every entry, so what was read is kept, within a limit. */
function readEntry(entry: string): Entry {
  const known = entries.get(entry);
  if (known) return known;
  if (entries.size >= maxEntries) entries.clear();
  const segments = segmentsOf(entry.toLowerCase()).map((segment) => segment.split('*'));
  const read = { isAbsolute: entry.startsWith('/'), segments };
  entries.set(entry, read);
  return read;
}

/**
 * Whether the text is the pieces in order with anything between them: a pattern split at its stars. Linear, whatever the pattern.
 */
export function matchesWildcard(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
