import { AgentsPage } from './pages/agents-page.tsx';
import { GatesPage } from './pages/gates-page.tsx';
import { HealthPage } from './pages/health-page.tsx';
import { MissingPage } from './pages/missing-page.tsx';
import { SchedulesPage } from './pages/schedules-page.tsx';
import { SessionPage } from './pages/session-page.tsx';
import { SessionsPage } from './pages/sessions-page.tsx';
import { TurnPage } from './pages/turn-page.tsx';
import { UsagePage } from './pages/usage-page.tsx';

/** What stands at an address. */
export function Screen({ address }: { address: string }) {
  const { pathname, searchParams } = new URL(address, location.origin);
  const [first = '', id = '', second, turn = ''] = pathname.split('/').slice(1).map(decode);
  switch (first) {
    case '':
    case 'gates':
      return <GatesPage />;
    case 'sessions':
      if (id === '') return <SessionsPage query={searchParams} />;
      if (second === 'turns' && /^[1-9]\d*$/.test(turn))
        return <TurnPage key={`${id} ${turn}`} sessionId={id} turn={Number(turn)} />;
      return <SessionPage key={id} sessionId={id} agent={searchParams.get('agent') ?? undefined} />;
    case 'agents':
      return <AgentsPage />;
    case 'schedules':
      return <SchedulesPage />;
    case 'usage':
      return <UsagePage />;
    case 'health':
      return <HealthPage />;
    default:
      return <MissingPage />;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
