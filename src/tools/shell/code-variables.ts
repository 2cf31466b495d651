import { harmlessProgram } from './hidden-git.ts';
import { isStatic, type ShellAssignment } from './analysis.ts';

/** Variables that say which program or code others run, or where they look for it. */
const names =
  /^(?:PATH|ENV|BASH_ENV|BASH_FUNC_.*|PROMPT_COMMAND|PS[0-4]|IFS|SHELLOPTS|BASHOPTS|SHELL|CDPATH|FPATH|ZDOTDIR|HOME|XDG_CONFIG_\w+|LD_\w+|DYLD_\w+|GCONV_PATH|LESSOPEN|LESSCLOSE|LESS|LESSKEY\w*|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS|CC|CXX|LD|AR|PERL\w+|RUBY(?:OPT|LIB|SHELL)|PYTHON(?:PATH|STARTUP|HOME|INSPECT|BREAKPOINT|USERBASE)|NODE_(?:OPTIONS|PATH)|NPM_CONFIG_\w+|BUN_\w+|DENO_\w+|PHP\w+|LUA_\w+|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|RUSTC\w*|RUSTFLAGS|RUSTDOC\w*|CARGO_\w+|GOFLAGS|GOTOOLCHAIN|GOPROXY|GOENV|GIT_\w+|SSH_ASKPASS\w*|SUDO_ASKPASS|RIPGREP_CONFIG_PATH|FZF_\w+|TAR_OPTIONS|RSYNC_\w+|CVS_RSH|DOCKER_\w+|KUBECONFIG|KUBE_\w+|OPENSSL_\w+|CURL_HOME|WGETRC|SYSTEMRC|PIP_\w+|TERMINFO|TERMCAP|INPUTRC|VIMINIT|EXINIT|ZIPOPT|UNZIP)$/i;
const programs = /^(?:\w*PAGER|\w*EDITOR|VISUAL|BROWSER|\w*_COMMAND|\w*_CMD)$/i;
const plain =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|LITERAL_PATHSPECS|FLUSH)$/;

/** Whether setting the variable makes what runs after it run something else. */
export function isCodeVariable({ name, value }: ShellAssignment): boolean {
  if (plain.test(name)) return false;
  if (programs.test(name)) return !value || !isStatic(value) || !harmlessProgram.test(value.value);
  return names.test(name);
}
