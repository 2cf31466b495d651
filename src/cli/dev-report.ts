import { relative } from 'node:path';
import { assertNever } from '../core/assert-never.ts';
import type { EmbeddedTemporal } from '../embedded/temporal.ts';
import { publicStore } from '../settings/settings.ts';
import type { DevReport } from './dev-supervisor.ts';
import { printJson, printLines, terminalStyle } from './output.ts';
import { printable, type Style } from './text.ts';

type Server = Pick<EmbeddedTemporal, 'address' | 'uiUrl'> | undefined;

export interface DevServers {
  /** Absent where the settings name another. */
  temporal?: Server;
  apiUrl?: string | undefined;
  /** Absent where it was not built. */
  pageUrl?: string | undefined;
}

/** Prints reports of `durascope dev`, for people or as one JSON a line. A complaint that is repeated word by word is printed once. */
export function devReporter(isJson: boolean): (report: DevReport, servers: DevServers) => void {
  let isFirst = true;
  let last = '';
  return (report, servers) => {
    if (isJson) return printJson(publicReport(report, servers));
    const lines = renderDevReport(report, servers, isFirst, terminalStyle());
    if (report.kind === 'ready') isFirst = false;
    const complaint = 'message' in report ? report.message : '';
    if (complaint === '' || complaint !== last) printLines(lines);
    last = complaint;
  };
}

/** Pure. */
export function renderDevReport(
  report: DevReport,
  { temporal: embedded, apiUrl, pageUrl }: DevServers,
  isFirst: boolean,
  { colors }: Style,
): string[] {
  switch (report.kind) {
    case 'ready': {
      const { address, store } = report.loaded;
      const agents = report.loaded.agents.map(({ name }) => name);
      if (!isFirst) return [`${colors.green('✓')} worker restarted: ${agents.join(', ')}`];
      return [
        `${colors.green('✓')} ready`,
        `  agents        ${agents.join(', ')}`,
        `  Temporal      ${address ?? embedded?.address ?? ''}`,
        ...(address === undefined && embedded?.uiUrl ? [`  Temporal Web  ${embedded.uiUrl}`] : []),
        ...(pageUrl === undefined ? [] : [`  admin page    ${pageUrl}`]),
        ...(apiUrl === undefined ? [] : [`  API           ${apiUrl}`]),
        `  store         ${shortStore(store)}`,
        '',
        'In another terminal:',
        `  durascope run ${agents[0] ?? 'AGENT'} "Hello"`,
        '',
      ];
    }
    case 'broken':
      return [
        `${colors.red('✗')} ${printable(report.message)}`,
        report.isServing
          ? '  The worker goes on with what it loaded before; waiting for the next change …'
          : '  Waiting for the next change …',
      ];
    case 'not_started':
      return [
        `${colors.red('✗')} the worker did not start: ${printable(report.message)}`,
        `  ${again(report)}`,
      ];
    case 'crashed':
      return [`${colors.red('✗')} the worker ended ${report.how}: no turn is lost`, `  ${again(report)}`];
    default:
      return assertNever(report);
  }
}

function publicReport(report: DevReport, { temporal: embedded, apiUrl }: DevServers): object {
  if (report.kind !== 'ready') return report;
  const { agents, address, namespace, store, taskQueue } = report.loaded;
  const uiUrl = address === undefined ? embedded?.uiUrl : undefined;
  return {
    kind: report.kind,
    agents: agents.map(({ name }) => name),
    address: address ?? embedded?.address,
    ...(uiUrl === undefined ? {} : { uiUrl }),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    namespace,
    store: publicStore(store),
    taskQueue,
  };
}

function again({ retryMs }: { retryMs: number }): string {
  return `Another one starts in ${retryMs / 1000} s, or at the next change …`;
}

function shortStore(url: string): string {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  return path === undefined ? publicStore(url) : `sqlite:${relative(process.cwd(), path)}`;
}
