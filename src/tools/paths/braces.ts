const maxAlternatives = 100;

/** `a{b,c{d,e}}` as all that it stands for; too many, and it stays as it is. */
export function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length && done.length + open.length <= maxAlternatives) {
    const one = open.pop()!;
    const group = /\{([^{}]*,[^{}]*)\}/.exec(one);
    if (!group) done.push(one);
    else
      for (const choice of group[1]!.split(','))
        open.push(one.slice(0, group.index) + choice + one.slice(group.index + group[0].length));
  }
  return open.length ? [pattern] : done;
}
