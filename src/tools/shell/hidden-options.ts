/**
 * Options by which a program runs code or writes files that its name does not promise. Lists are separated by spaces. `-x` is found in
 * joined letters too, `--long` in abbreviations and with `=`; `-word` only by itself or with `=`.
 */
export interface HiddenSpec {
  /** Run what they are given. */
  code?: string;
  /** Write the file that they are given. */
  writes?: string;
  /** Take no value, and make it write a file all the same. */
  writesItself?: string;
  /** Letters of other short options with a value: what is joined to them is no option. */
  valued?: string;
  /** Values of `code` options that run nothing of the caller's. */
  harmless?: RegExp;
  /** Words that are code wherever they stand. */
  words?: RegExp;
  /** This many operands are read; another is written. */
  operandsRead?: number;
  /** The first word, where its letters are options without a dash, as in `tar cIf`. */
  first?: RegExp;
}

const pager: HiddenSpec = { code: '--pager' };
const evaluates: HiddenSpec = { code: '-e --eval --evaluate' };
const ssh: HiddenSpec = {
  code: '-o -F -S',
  writes: '-E',
  valued: 'bcDeIiJLlmpQRWwX',
  harmless:
    /^(?:BatchMode|Compression|Connect\w+|IdentitiesOnly|LogLevel|Port|ServerAlive\w+|StrictHostKeyChecking|User)[= ][\w-]+$/i,
};
const editor: HiddenSpec = { code: '-c -s -S -u -U -i --cmd', words: /^\+(?!\d*$)|^-[eE]?s$/ };
export const compiler: HiddenSpec = {
  code: '-wrapper -B',
  writes: '-o',
  words: /^-f(?:plugin|pass-plugin)|^-specs|^@/,
};
const typesetter: HiddenSpec = { words: /shell-escape|write18/ };
/** Bash evaluates the subscript of an array wherever a name of a variable is expected. */
const subscript: HiddenSpec = { words: /\[.*(?:\$|`)/s };
/** Commands of a database's client that reach the shell or files. */
const sqlShell =
  /^\s*system\s|\\[!o]|\\copy|\bPROGRAM\b|^\.(?:sh|system|shell|load|output|once|import)|load_extension|;\s*\.\w/i;

/** By program, in lower case. */
export const hiddenOptions: Readonly<Record<string, HiddenSpec>> = {
  '[': subscript,
  ack: pager,
  ag: pager,
  ansible: { code: '-a --args -m --module-name' },
  apt: { code: '-o --option -c --config-file' },
  'apt-get': { code: '-o --option -c --config-file' },
  aria2c: {
    code: '--on-download-complete --on-download-start --on-download-error --on-download-stop --on-bt-download-complete --conf-path',
    writes: '-o --out -d --dir -l --log --save-session',
  },
  at: { words: /^/ },
  bat: pager,
  batcat: pager,
  batch: { words: /^/ },
  bazel: { code: '--run_under' },
  bun: { code: '-e --eval -p --print -r --preload --import --require', words: /^(?:exec|repl)$|^data:/ },
  cargo: { code: '--config' },
  clojure: evaluates,
  cmake: { words: /^-P$|^-D\w*(?:LAUNCHER|PROGRAM|COMMAND|COMPILER)/ },
  cmd: { words: /^\/[ckr]/i },
  concurrently: { words: /^[^-]/ },
  cpio: { code: '--rsh-command', writes: '-O -F --file' },
  crontab: { code: '-e', words: /^-$/ },
  curl: {
    code: '-K --config --engine',
    writes:
      '-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --output-dir',
    writesItself: '-O -J --remote-name --remote-header-name --remote-name-all',
    valued: 'AbCdeEFhHmPQrtTuUwxXyYz',
    words: /%output\{/,
  },
  dc: { words: /!/ },
  declare: subscript,
  delta: pager,
  deno: { code: '--preload --import', words: /^(?:eval|repl)$|^(?:https?|data):/ },
  dpkg: { code: '--pre-invoke --post-invoke --status-logger', valued: 'DS' },
  diff3: { code: '--diff-program' },
  ed: { words: /^!/ },
  elixir: { code: '-e --eval --rpc-eval -r' },
  emacs: { code: '-f --funcall -l --load -eval --eval --execute --script' },
  erl: { code: '-eval -s -run' },
  expect: { code: '-c' },
  export: subscript,
  fc: { code: '-e -s' },
  find: { writes: '-fprint -fprint0 -fprintf -fls', writesItself: '-delete' },
  file: { writesItself: '-C --compile' },
  fzf: { code: '--preview --bind --become --listen' },
  gcloud: { code: '--command' },
  gdb: {
    code: '--args -ex -iex -x -ix -eval-command --eval-command --command --init-command --init-eval-command',
  },
  ghc: { code: '-e -pgmF -F' },
  gh: { words: /^!|^alias$/ },
  gjs: { code: '-c --command' },
  gnuplot: { code: '-e' },
  go: { code: '-exec -toolexec -vettool --exec --toolexec --vettool -overlay --overlay' },
  gradle: { code: '-I --init-script' },
  groovy: evaluates,
  guile: { code: '-c -l -e' },
  helm: { code: '--post-renderer' },
  hyperfine: { words: /^[^-]/ },
  iconv: { writes: '-o --output', valued: 'ft' },
  ipython: { code: '-c -m' },
  java: { words: /^-(?:agent|javaagent|XX:On)/ },
  jobs: { code: '-x' },
  julia: { code: '-e -E --eval --print -L --load' },
  latex: typesetter,
  latexmk: { code: '-e -r -pdflatex -latex', words: /shell-escape/ },
  less: {
    code: '-k --lesskey-file --lesskey-src --lesskey-content',
    writes: '-o -O --log-file --LOG-FILE',
    words: /^\+(?![FG\d]*$)/,
  },
  let: subscript,
  lldb: { code: '-o -O -s -S -k -K --one-line --source --batch' },
  local: subscript,
  lualatex: typesetter,
  m4: { words: /syscmd/ },
  make: {
    code: '-E --eval',
    valued: 'CIjloOWf',
    words:
      /^(?:-f|--(?:make)?file=)?(?:-|\/dev\/.*)$|^(?:\.?SHELL\w*|MAKE\w*|CC|CXX|CPP|LD|AR|AS|RM|\w*(?:COMMAND|CMD|RUNNER|LAUNCHER|WRAPPER))[:+?!]*=|^[\w.-]+[:+?!]*=.*[;&|`$()<>\n]/s,
  },
  man: { code: '-P --pager -H --html -p --preprocessor -C --config-file -X -T' },
  mongosh: evaluates,
  mosh: { code: '--ssh --server --client' },
  mutt: { code: '-e -F' },
  mvn: { words: /^-Dexec\./ },
  mysql: { code: '--pager --init-command', writes: '--tee', words: sqlShell },
  nano: { code: '-s --speller -f --rcfile' },
  nc: { code: '-e -c --exec --sh-exec --lua-exec', valued: 'iIpPqsTVwXx' },
  ncat: { code: '-e -c --exec --sh-exec --lua-exec', writes: '-o --output -x --hex-dump' },
  nmap: { code: '--script --datadir', writes: '-oN -oX -oG -oA -oS' },
  nodemon: { code: '-x --exec -e --exec-map' },
  npm: {
    code: '--script-shell --node-options --git --editor --viewer --browser --userconfig --globalconfig',
    words: /^(?:script-shell|node-options)(?:=|$)|^scripts\./,
  },
  octave: evaluates,
  openssl: { code: '-engine -provider -provider-path -config', writes: '-out -keyout -writerand' },
  osascript: { code: '-e' },
  pandoc: {
    code: '-F --filter -L --lua-filter --pdf-engine --pdf-engine-opt',
    writes: '-o --output --log --extract-media',
  },
  pdflatex: typesetter,
  pdftex: typesetter,
  pip: {
    code: '--config-settings --global-option --build-option -i --index-url --extra-index-url -f --find-links',
  },
  pip3: {
    code: '--config-settings --global-option --build-option -i --index-url --extra-index-url -f --find-links',
  },
  pnpm: { code: '--script-shell -c --shell-mode' },
  printf: subscript,
  prove: { code: '-e --exec --source --harness --formatter -I -M -P --rc', words: /^-[a-zA-Z]*[eIMP]/ },
  psql: { writes: '-o --output -L --log-file', words: sqlShell },
  r: { code: '-e' },
  racket: { code: '-e --eval' },
  rails: { words: /^(?:r|runner|c|console|dbconsole)$/ },
  raku: { code: '-e -M -I' },
  read: subscript,
  rg: { code: '--pre --hostname-bin' },
  rpm: { code: '-E -D --eval --define --pipe --load --macros --rcfile' },
  rscript: { code: '-e' },
  rsync: {
    code: '-e --rsh --rsync-path -M --remote-option --config',
    writes: '--log-file --write-batch --only-write-batch',
    valued: 'BfTC',
    harmless: /^ssh$/,
  },
  rustc: { code: '-C --codegen', writes: '-o' },
  sbcl: { code: '--eval --load' },
  scala: evaluates,
  scp: { ...ssh, code: `${ssh.code} -D` },
  sdiff: { code: '--diff-program', writes: '-o --output' },
  sftp: { ...ssh, code: `${ssh.code} -b -s -D` },
  shuf: { writes: '-o --output', valued: 'in' },
  socat: { words: /exec:|system:|shell:/i },
  sort: { code: '--compress-program', writes: '-o --output -T --temporary-directory', valued: 'kSt' },
  split: { code: '--filter' },
  sqlite3: { code: '-cmd -init', writes: '-A', words: sqlShell },
  ssh: { ...ssh },
  'start-stop-daemon': { code: '-x --exec -a --startas' },
  tar: {
    code: '--checkpoint-action -I --use-compress-program --to-command -F --info-script --new-volume-script --rsh-command --rmt-command',
    valued: 'bCfgHKLNTVX',
    harmless: /^(?:\d+|dot|\.|echo|bell|totals|zstd|xz|gzip|bzip2|pigz|lz4)$/,
    first: /^[A-Za-z]*[IF]/,
  },
  tcpdump: { code: '-z', writes: '-w', valued: 'BcCFGijmMrsTUVyE' },
  test: subscript,
  tex: typesetter,
  tmux: {
    code: '-c -f',
    words:
      /\s|^(?:run|run-shell|if|if-shell|pipe-pane|new|new-session|new-window|send-keys|send|source-file)$/,
  },
  tree: { writes: '-o' },
  'ts-node': { code: '-e --eval -p --print -r --require' },
  tsx: { code: '-e --eval -p --print -r --require --import' },
  typeset: subscript,
  uniq: { operandsRead: 1 },
  unset: subscript,
  vagrant: { code: '-c --command' },
  valgrind: { code: '--vgdb', writes: '--log-file --xml-file' },
  wait: subscript,
  'watchman-make': { code: '--run' },
  wget: {
    code: '-e --execute --use-askpass --config',
    writes:
      '-O -o -a -P --output-document --output-file --append-output --directory-prefix --save-cookies --warc-file --rejected-log',
    valued: 'iBtTwQUADIRXl',
  },
  xelatex: typesetter,
  xmllint: { writes: '-o --output' },
  xsltproc: { writes: '-o --output' },
  xterm: { code: '-e' },
  xxd: { operandsRead: 1 },
  yarn: { words: /^node$/ },
  yq: { writesItself: '-i --inplace --in-place' },
  zip: { code: '-TT --unzip-command', writes: '-O --out' },
  ...Object.fromEntries(
    ['vi', 'vim', 'nvim', 'view', 'ex', 'vimdiff', 'rview', 'gvim'].map((name) => [name, editor]),
  ),
};

/** Programs that take commands from their standard input. */
export const runsInput: ReadonlySet<string> = new Set(
  'at batch ed ex vi vim nvim gdb lldb sqlite3 psql mysql mongosh dc ftp sftp telnet gnuplot octave julia r irb ghci m4 crontab tmux screen bun deno'.split(
    ' ',
  ),
);
