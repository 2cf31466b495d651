import type { Command } from 'commander';
import type { PermissionRule } from '../core/permission.ts';
import { formatRule } from '../core/permission-rule.ts';
import type { AuditEntry } from '../store/call-store.ts';
import { defineCommand, flagsOf, type CommonOptions } from './define-command.ts';
import { existingSession } from './existing-session.ts';
import { openReader, withClient } from './open-client.ts';
import { wholeNumber } from './option-parsers.ts';
import { notice, printJson, printLines } from './output.ts';
import { oneLine, printable, table } from './text.ts';

interface AuditOptions extends CommonOptions {
  call?: string;
  limit?: number;
  cursor?: string;
}

export function auditCommand(): Command {
  return defineCommand(
    'audit',
    'list the decisions about the calls of a session, oldest first: what or who decided, and why',
    'durascope audit case-42\ndurascope audit case-42 --call call_1 --json',
  )
    .argument('<session>', 'its id, as "durascope sessions" lists it')
    .option('--call <id>', 'of this call only')
    .option('--limit <n>', 'decisions of one page', wholeNumber(1, 200))
    .option('--cursor <cursor>', 'the next page, as the last one told')
    .action(audit);
}

async function audit(id: string, options: AuditOptions): Promise<void> {
  const { call, limit, cursor } = options;
  await withClient(
    flagsOf(options),
    async (client, { owner }) => {
      const { session } = await existingSession(client, owner, id);
      const page = await session.audit({
        ...(call === undefined ? {} : { callId: call }),
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (options.json) return printJson(page);
      if (page.items.length === 0) return notice(`nothing was decided in session ${id}`);
      printLines(renderAudit(page.items));
      if (page.nextCursor !== undefined) notice(`more: --cursor ${page.nextCursor}`);
    },
    openReader,
  );
}

const deciders: Record<AuditEntry['by'], string> = {
  deny_rule: 'a rule',
  ask_rule: 'a rule',
  allow_rule: 'a rule',
  read_only: 'it only reads',
  tool_check: 'the tool',
  mode: 'the mode',
  default: 'no rule',
  person: 'a person',
  deadline: 'the deadline',
  system: 'a system',
  turn_end: 'the turn ended',
};

/** Pure. */
export function renderAudit(entries: readonly AuditEntry[]): string[] {
  const rows = entries.map(({ at, turn, tool, callId, behavior, by, actor, rule, remembered, reason }) => [
    at,
    String(turn),
    printable(tool),
    callId,
    behavior,
    actor === undefined ? deciders[by] : oneLine(actor, 40),
    ruleText(rule, remembered),
    oneLine(reason, 100),
  ]);
  return table(['WHEN', 'TURN', 'TOOL', 'CALL', 'DECISION', 'BY', 'RULE', 'REASON'], rows);
}

function ruleText(rule: PermissionRule | undefined, remembered: readonly PermissionRule[] = []): string {
  if (!rule) return remembered.map((added) => `remembers ${oneLine(formatRule(added), 60)}`).join(', ');
  const by = rule.by === undefined ? '' : ` by ${oneLine(rule.by, 40)}`;
  return `${oneLine(formatRule(rule), 60)} of ${rule.source ?? 'agent'}${by}`;
}
