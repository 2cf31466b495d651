import { harmlessProgram } from './hidden-git.ts';
import { isStatic, type ShellAssignment } from './analysis.ts';

/** Variables that hold code or options, or say where programs, libraries and settings are looked for. */
const names = new Set(
  `PATH CDPATH FPATH HOME ZDOTDIR CURL_HOME ENV BASH_ENV SHELL SHELLOPTS BASHOPTS IFS PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND INPUTRC
  GCONV_PATH TERMINFO TERMCAP VIMINIT EXINIT WGETRC KUBECONFIG RIPGREP_CONFIG_PATH SSH_ASKPASS SSH_ASKPASS_REQUIRE SUDO_ASKPASS
  LESS LESSOPEN LESSCLOSE LESSKEY LESSKEYIN LESSKEY_CONTENT ZIPOPT UNZIP TAR_OPTIONS CVS_RSH
  MAKEFLAGS MAKEFILES GNUMAKEFLAGS CC CXX LD AR
  RUBYOPT RUBYLIB RUBYSHELL PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PYTHONUSERBASE NODE_OPTIONS
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS RUSTC RUSTFLAGS RUSTDOC RUSTDOCFLAGS
  GOFLAGS GOTOOLCHAIN GOPROXY GOENV DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT DOCKER_CERT_PATH
  PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE PIP_FIND_LINKS PIP_TRUSTED_HOST`.split(/\s+/),
);
const families =
  /^(?:BASH_FUNC|BUN|CARGO|DENO|DYLD|FZF|GIT|KUBE|LD|LUA|NPM_CONFIG|OPENSSL|RSYNC|RUSTC|XDG_CONFIG)_|^(?:PERL|PHP)/;
const programs = /(?:PAGER|EDITOR|_COMMAND|_CMD)$|^(?:VISUAL|BROWSER)$/;
const plain =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|LITERAL_PATHSPECS|FLUSH)$|^CARGO_(?:TERM_|INCREMENTAL)/;

/** Whether setting the variable may make what runs after it run something else. */
export function isCodeVariable({ name, value }: ShellAssignment): boolean {
  const folded = name.toUpperCase().replace(/\[[^]*/, '');
  if (plain.test(folded)) return false;
  if (programs.test(folded)) return !value || !isStatic(value) || !harmlessProgram.test(value.value);
  return names.has(folded) || families.test(folded);
}
