import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCommand } from '../../../src/tools/shell/check-command.ts';
import { allowRulesCover, isFullyKnown, matchesCommandRule } from '../../../src/tools/shell/command-rule.ts';
import { editTargets } from '../../../src/tools/shell/edit-targets.ts';
import { parseShell } from '../../../src/tools/shell/parse-shell.ts';
import { isReadOnlyCommand } from '../../../src/tools/shell/read-only.ts';
import { suggestCommandRules } from '../../../src/tools/shell/suggest-rules.ts';

const place = { workingDirectories: ['/w'], cwd: '/w', home: '/home/u' };

/** Commands that run code which no rule reads. */
const code = [
  // What bash evaluates of a variable.
  "CI='a[$(touch PWN)]'; LINES[CI]=1",
  "CI='a[$(touch PWN)]' LINES[CI]=1",
  'cat {LINES[CI]}</dev/null',
  "[ ?v 'a[CI]' ]",
  'test ?v a*',
  // Settings, options and addresses of git.
  'git -c alias.x=!id x',
  "git -c alias.x='!id' x",
  'git -calias.x=!id x',
  'git -c core.pager=x log',
  'git -c core.sshCommand=x fetch',
  'git -c core.editor=x commit',
  'git -c core.fsmonitor=x status',
  'git -c core.hooksPath=x commit',
  'git -c diff.a.textconv=x log -p',
  'git -c credential.helper=x fetch',
  'git -c unheard.of=x status',
  'git -c $X status',
  'git -C a -c include.path=x status',
  'git --config-env=core.pager=X log',
  'git --config-env core.pager=X log',
  'git --exec-path=x status',
  'git --git-dir=x status',
  'git --work-tree x status',
  'git clone -c core.pager=x a',
  'git clone --config core.pager=x a',
  'git clone --template=x a',
  'git clone -u x a',
  'git clone --upload-pack=x a',
  'git fetch --upload-pack x a',
  'git ls-remote --upload-pa=x a',
  'git push --receive-pack=x a',
  'git push --exec=x a',
  "git clone 'ext::sh -c id'",
  'git fetch ext::id',
  'git remote add a ext::id',
  'git pull transport::address',
  'git rebase --exec id main',
  'git rebase -x id main',
  'git rebase -ix id main',
  'git bisect run id',
  'git submodule foreach id',
  'git submodule --quiet foreach --recursive id',
  'git filter-branch --tree-filter id',
  'git difftool -x id',
  'git difftool --extcmd=id',
  'git grep -O a',
  'git grep -Oid a',
  'git grep --open-files-in-pager=id a',
  'git log --ext-diff',
  'git diff --textconv',
  'git archive --exec=id --remote=x HEAD',
  'git subtree push a b',
  'git config alias.x !id',
  'git config core.pager id',
  'git config --global core.editor id',
  'git config set core.hooksPath x',
  'git config -e',
  'git {-c,core.pager=x} log',
  'GIT_SSH_COMMAND=id git fetch',
  'GIT_PAGER=id git log',
  'GIT_EXTERNAL_DIFF=id git diff',
  'GIT_CONFIG_COUNT=1 git log',
  'PAGER=id git log',
  'EDITOR=id git commit',
  'env GIT_PAGER=id git log',
  'export GIT_PAGER=id; git log',
  'export "GIT_PAGER=id"; git log',
  'declare -x "GIT_PAGER=id"; git log',
  // Archives.
  'tar cf a --checkpoint=1 --checkpoint-action=exec=id b',
  'tar cf a --checkpoint-action exec=id b',
  'tar cf a --checkpoint-act=exec=id b',
  'tar -I id -cf a b',
  'tar cIf id a b',
  'tar -cIid -f a b',
  'tar --use-compress-program=id -cf a b',
  'tar xf a --to-command=id',
  'tar xf a -F id',
  'tar cf a b --info-script=id',
  'tar cf a b --new-volume-script id',
  'tar xf h:a --rsh-command=id',
  'zip -T -TT id a b',
  'zip a b -TT=id',
  'zip a b --unzip-command id',
  'split --filter=id a',
  'sort --compress-program=id a',
  'sort --comp id a',
  'rsync -e id a b',
  'rsync -ave id a b',
  'rsync --rsh=id a b',
  'rsync --rsync-path=id a h:b',
  // Languages.
  "prove -e 'touch PWN' a.t",
  'prove --exec=touch a.t',
  "compgen -W '$(touch PWN)'",
  'compgen -C touch',
  'compgen -aF touch',
  'dpkg --pre-invoke=touch -i a.deb',
  'dpkg --post-invoke touch -i a.deb',
  'gcc-12 -wrapper touch,PWN a.c',
  'c++ -wrapper touch,PWN a.c',
  'c99 -wrapper touch,PWN a.c',
  'x86_64-linux-gnu-gcc -wrapper touch,PWN a.c',
  'x86_64-linux-gnu-g++-12 -wrapper touch,PWN a.c',
  '/lib64/ld-linux-x86-64.so.2 /usr/bin/touch PWN',
  'prlimit --nproc=9 touch PWN',
  'python -c x',
  'python3 -c x',
  'python3.12 -Bc x',
  '/usr/bin/python3 -c x',
  'python3 -m timeit x',
  'python3 -m pdb a.py',
  'python3 -mtimeit x',
  'python3 -W x a.py',
  'python3',
  'python3 -',
  'python3 /dev/stdin',
  'python3 <<< x',
  'python3 <<E\nx\nE',
  'node -e x',
  'node -p x',
  'node -pe x',
  'node --eval=x',
  'node --print x',
  'node -r ./a b.js',
  'node --require ./a b.js',
  'node --import data:text/javascript,x b.js',
  'node --experimental-loader=x b.js',
  'node --watch -e x',
  'NODE_OPTIONS=--require=x node a.js',
  'perl -e x',
  'perl -ne x a',
  'perl -pi -e x a',
  'perl -Mx a.pl',
  'ruby -e x',
  'ruby -rx a.rb',
  'php -r x',
  'php -d auto_prepend_file=x a.php',
  'lua -e x',
  'tclsh',
  'deno eval x',
  'deno run https://x/a.ts',
  'bun -e x',
  'bun --eval x',
  'osascript -e x',
  'julia -e x',
  'rscript -e x',
  'ghc -e x',
  'awk \'BEGIN{system("id")}\'',
  'awk \'{print | "id"}\' a',
  'awk \'{print > "b"}\' a',
  'awk \'{"id" | getline x}\' a',
  'awk \'@load "x"\' a',
  'awk -f a b',
  'awk -i inplace 1 a',
  'gawk -l x 1 a',
  'awk "$X" a',
  "sed '1e id' a",
  "sed 's/a/id/e' a",
  "sed 's/a/b/w c' a",
  "sed -n 'w b' a",
  "sed -n '/x/w b' a",
  "sed -e 'p' -e 'e id' a",
  "sed --expression='e id' a",
  'sed -f a b',
  'sed "$X" a',
  // Shells.
  'sh -c "$X"',
  'bash --rcfile x -c ls',
  'bash --init-file x',
  'zsh',
  'bash /dev/stdin',
  '. /dev/stdin',
  'source /dev/fd/0',
  'env -S "id x"',
  'script',
  'su',
  'BASH_ENV=x bash a.sh',
  'fish -C id',
  // Builders and others that take programs by option.
  'make SHELL=id',
  'make CC=id all',
  'make "X=a;id"',
  'make -f -',
  'make -f- all',
  'make --eval=x',
  'make -E x',
  'make --file=/dev/stdin',
  'npm test --script-shell=id',
  'npm run a --node-options=x',
  'npx -c id',
  'npm exec -c id',
  'npm --silent exec id',
  'cargo --config x build',
  'go test -exec id ./...',
  'go build -toolexec=id',
  'gcc -wrapper id a.c',
  'ssh -o ProxyCommand=id h ls',
  'ssh -oProxyCommand=id h ls',
  'ssh -F x h ls',
  'ssh h',
  'scp -S id a h:b',
  'scp -o ProxyCommand=id a h:b',
  'sftp -S id h',
  'curl -K a',
  'curl -sK a',
  'curl --config - x',
  'curl --conf=a x',
  'wget -e use_proxy=on x',
  'wget --use-askpass=id x',
  'gdb -ex id a',
  'gdb --eval-command=id a',
  'gdb -x a b',
  'vim -c id a',
  'vim +!id a',
  'vim -es a',
  'vi --cmd id a',
  'ex -s a',
  'less +!id a',
  'less -k x a',
  'LESSOPEN="|id %s" less a',
  'man -P id ls',
  'man --pager=id ls',
  'MANPAGER=id man ls',
  'PAGER=id man ls',
  'emacs --eval x',
  'nc -e id h 1',
  'ncat --sh-exec id h 1',
  'socat - EXEC:id',
  'openssl engine -engine x',
  'openssl req -provider-path x',
  'rg --pre id a',
  'rg --pre=id a',
  'find . -exec sh -c "$X" \\;',
  "sqlite3 a '.shell id'",
  "psql -c '\\! id'",
  'psql -c "COPY a TO PROGRAM \'id\'"',
  'docker run --privileged x ls',
  'docker run --entrypoint id x',
  'docker -H x exec y id',
  'tcpdump -z id -w a',
  'xargs -a x sh -c',
  'parallel --unheard id',
  'parallel ::: id',
  'unshare',
  'nsenter -t 1',
  'nix-shell --run id',
  'watch -X id',
  'flock a -c id',
  'LD_PRELOAD=x cat a',
  'PATH=. npm test',
  'git fetch ssh://-oProxyCommand=id/a',
  "gh alias set x '!id'",
  'git -c help.autocorrect=1 psuh',
  'git init --template=x',
  'npm config set script-shell id',
  'npm pkg set scripts.test=id',
  'curl -w %output{a} https://x',
  'git -C log -c core.pager=x status',
  'git -C rev-parse --git-dir=x status',
  "let 'a[$(id)]=1'",
  "test -v 'a[$(id)]'",
  "[ -v 'a[`id`]' ]",
  "printf -v 'a[$(id)]' x",
  "unset 'a[$(id)]'",
  'compgen -C id',
  'fc -s id',
  'jobs -x id',
  'xargs python3',
  'xargs bash',
  'fd . --exec=id',
  'fd . -xid',
  'crontab -',
  'sqlite3 a < b',
  'psql <<< x',
  '{ sqlite3 a; } < b',
  'ed a <<E\n!id\nE',
  'powershell -c id',
  'bash.exe -c "$X"',
  'hyperfine id',
  'concurrently "id x"',
  'pdflatex -shell-escape a',
  'screen -X stuff id',
  'capsh -- -c id',
  "mysql -e 'system id'",
  'yarn node -e x',
  'rails runner x',
];

/** Commands that write a file by an option; the file is `out`. */
const writing = [
  'git log --output=out',
  'git log --output out',
  'git log --outp=out',
  'git diff --output=out',
  'git show --output out',
  'git format-patch -o out HEAD',
  'git format-patch -oout HEAD',
  'git format-patch --output-directory=out HEAD',
  'git archive -o out HEAD',
  'git archive --output=out HEAD',
  'git {log,--output=out}',
  'sort -o out a',
  'sort -oout a',
  'sort -rno out a',
  'sort a --output=out',
  'sort --o=out a',
  'curl -o out https://x',
  'curl -sSLo out https://x',
  'curl --output out https://x',
  'curl -D out https://x',
  'curl --dump-header=out https://x',
  'curl -c out https://x',
  'curl -O https://x/out',
  'curl -sSLO https://x/out',
  'curl --remote-name https://x/out',
  'curl --trace out https://x',
  'wget -O out https://x',
  'wget -qOout https://x',
  'wget --output-document=out https://x',
  'wget -o out https://x',
  'wget -P out https://x',
  'openssl rand -out out 5',
  'psql -o out',
  'xmllint --output out a',
  'rsync --log-file=out a b',
  'pandoc -o out a',
  'tree -o out',
  'gcc -o out a.c',
  'uniq a out',
  'shuf -o out a',
  'iconv -f utf8 -o out a',
  'find a -fprint out',
];

const isReadOnly = (command: string) => isReadOnlyCommand(parseShell(command));
const allows = (pattern: string, command: string) =>
  matchesCommandRule(parseShell(command), pattern, 'every');
const forbids = (pattern: string, command: string) =>
  matchesCommandRule(parseShell(command), pattern, 'some');
/** The rule for all of a program, and one for its first two words. */
const broadRules = (command: string) =>
  parseShell(command)
    .parts.filter(({ name, origin }) => name && origin === 'list')
    .flatMap(({ name, args: [first] }) => [
      `${name}:*`,
      `${name} *`,
      '*',
      ...(first && /^\w/.test(first.value) ? [`${name} ${first.value}:*`] : []),
    ]);

describe('code in options', () => {
  it.each(code)('%j is for a person to read', (command) => {
    const analysis = parseShell(command);
    expect(isReadOnly(command)).toBe(false);
    expect(isFullyKnown(analysis)).toBe(false);
    expect(allowRulesCover(analysis, broadRules(command))).toBe(false);
    expect(checkCommand(analysis, place)).toMatchObject({ behavior: 'ask', isSafety: true });
    expect(editTargets(analysis, place)).toBeUndefined();
    expect(suggestCommandRules(analysis)).toEqual([]);
  });

  it.each([
    ['rm:*', 'git -c alias.x=!rm\\ y x'],
    ['rm:*', "git -c core.pager='rm y' log"],
    ['rm:*', "GIT_PAGER='rm y' git log"],
    ['rm:*', "tar cf a --checkpoint-action=exec='rm y' b"],
    ['rm:*', 'git rebase --exec "cd a && rm y" main'],
    ['pip install:*', 'python -m pip install x'],
    ['rm:*', 'npx -y rm y'],
    ['rm:*', 'docker exec web rm y'],
    ['rm:*', 'docker run --rm -v /:/h alpine rm -rf /h'],
    ['rm:*', 'kubectl exec pod -- rm y'],
    ['rm:*', 'parallel rm ::: y'],
    ['rm:*', 'chrt -f 1 rm y'],
    ['rm:*', 'nsenter -t 1 -m rm y'],
    ['rm:*', 'poetry run rm y'],
    ['rm:*', 'uv run rm y'],
    ['rm:*', 'flock a rm y'],
    ['rm:*', "flock a -c 'rm y'"],
    ['rm:*', 'bun x rm y'],
    ['rm:*', 'pkexec rm y'],
    ['rm:*', 'setarch x86_64 rm y'],
    ['rm:*', 'ls | entr rm y'],
    ['rm:*', 'cmake -E rm y'],
    ['rm:*', "hyperfine 'rm y'"],
    ['rm:*', "trap -- 'rm y' EXIT"],
    ['rm:*', "test -v 'a[$(rm y)]'"],
    ['rm:*', 'sshpass -p x ssh h rm y'],
  ])('%j catches %j', (pattern, command) => {
    expect(forbids(pattern, command)).toBe(true);
  });

  it('names what a person should look at', () => {
    expect(checkCommand(parseShell('git -c core.pager=x log'), place)?.reason).toBe(
      'git would run code by -c, which rules cannot read and is known only when it runs',
    );
  });
});

describe('files that options write', () => {
  it.each(writing)('%j is no reading, and no broad rule covers it', (command) => {
    const analysis = parseShell(command);
    expect(isReadOnly(command)).toBe(false);
    expect(allowRulesCover(analysis, broadRules(command))).toBe(false);
    expect(editTargets(analysis, place)).toBeUndefined();
    expect(allows(command, command)).toBe(true);
  });

  it.each(
    writing.filter(
      (command) => /\bout\b/.test(command) && !/[{]|-O |LO |remote-name|gcc|openssl|find/.test(command),
    ),
  )('%j asks when the file is guarded', (command) => {
    const guarded = command
      .replace(/out(?!\w|-|=)(?=$| )/, '.bashrc')
      .replace(/(-oout|-qOout)/, (o) => o.replace('out', '.bashrc'));
    expect(checkCommand(parseShell(guarded), place)?.reason).toContain('.bashrc');
  });

  it.each([
    ['git log --output=out:*', 'git log --output=out -5'],
    ['curl -o out https://x:*', 'curl -o out https://x'],
    ['sort -o out *', 'sort -o out a b'],
    ['curl * -o out', 'curl https://x -o out'],
    ['curl:*', 'curl -o /dev/null https://x'],
    ['curl:*', 'curl -o - https://x'],
    ['wget:*', 'wget -qO- https://x'],
    ['wget:*', 'wget -O/dev/null https://x'],
    ['tar:*', 'tar -cf a --checkpoint=1 --checkpoint-action=dot b'],
    ['tar:*', 'tar -I zstd -cf a b'],
    ['less:*', 'less +G a'],
    ['git:*', 'git -c color.ui=always -c core.pager=cat log'],
    ['git:*', 'git commit --template=a'],
    ['PYTHONPATH=src python3 a.py:*', 'PYTHONPATH=src python3 a.py b'],
  ])('%j covers %j', (pattern, command) => {
    expect(allows(pattern, command)).toBe(true);
  });

  it.each([
    ['git log --output=out:*', 'git log --output=out --output=other'],
    ['git log -5:*', 'git log -5 --output=other'],
    ['curl -o out:*', 'curl -o out https://x -o other'],
    ['curl * -o out', 'curl -o other https://x -o out'],
    ['timeout 5 git log:*', 'timeout 5 git log --output=out'],
    ['sudo git log *', 'sudo git log --output=out'],
    ['xargs git log:*', 'xargs git log'],
    ['find . -exec git log:*', 'find . -exec git log {} +'],
    ['sort:*', 'sort *'],
    ['git log:*', 'git log $X'],
    ['tar cf a:*', 'tar cf a *'],
  ])('%j does not cover %j', (pattern, command) => {
    expect(allows(pattern, command)).toBe(false);
  });

  it('a harmless variable does not carry an option in', () => {
    const analysis = parseShell('NO_COLOR=--output=x; git log $NO_COLOR');
    expect(allowRulesCover(analysis, ['git log:*', 'git *'])).toBe(false);
  });
});

describe('whatever stands around it', () => {
  const inCommand = fc.constantFrom(...code.filter((command) => !command.includes('<<')), ...writing);
  const around = fc.array(
    fc.constantFrom<((command: string) => string)[]>(
      [(command) => `ls; ${command}`],
      [(command) => `echo a && ${command}`],
      [(command) => `cat a | ${command}`],
      [(command) => `${command} & pwd`],
      [(command) => `${command} || true`],
      [(command) => `pwd\n${command}`],
      [(command) => `{ ${command}; }`],
      [(command) => `{ ! ${command}; }`],
      [(command) => `( ${command} )`],
      [(command) => `echo "$( ${command} )"`],
      [(command) => `LANG=C; ${command}`],
      [(command) => `if true; then ${command}; fi`],
      [(command) => `bash -c '${command.replaceAll("'", "'\\''")}'`],
      [(command) => `timeout 5 bash -c '${command.replaceAll("'", "'\\''")}'`],
    ),
    { maxLength: 3 },
  );
  const before = fc.constantFrom(
    '',
    '',
    'timeout 5 ',
    'nice -n 5 ',
    'nohup ',
    'sudo ',
    'env CI=1 ',
    'command ',
    'xargs ',
    'stdbuf -oL ',
  );

  it('it is not read-only, a rule for another program does not allow it, and one against it matches', () => {
    fc.assert(
      fc.property(inCommand, before, around, (inner, wrapper, layers) => {
        // An assignment in front belongs to the shell, not to a wrapper.
        const isPlain = !/^(?:[A-Z_]+(?:\[.*\])?=|export|declare|\. |source|ed )/.test(inner);
        const [name = ''] = parseShell(inner).parts.map((part) => part.name);
        const wrapped = isPlain ? `${wrapper}${inner}` : inner;
        const command = layers.reduce((line, [put]) => put!(line), wrapped);
        const analysis = parseShell(command);
        expect(isReadOnlyCommand(analysis), command).toBe(false);
        expect(
          allowRulesCover(analysis, ['ls:*', 'cat:*', 'echo:*', 'npm test:*', `${name}x:*`]),
          command,
        ).toBe(false);
        if (name) expect(matchesCommandRule(analysis, `${name}:*`, 'some'), command).toBe(true);
        if (code.includes(inner)) expect(isFullyKnown(analysis), command).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
