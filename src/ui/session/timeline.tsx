import { money, type Costs } from '../api/cost.ts';
import { ListHead } from '../parts/list-head.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { duration, tokens } from '../parts/time.tsx';
import type { Bar } from './turn-bars.ts';

const kinds = { model: 'model call', tool: 'tool', wait: 'wait at a gate' };

/** A row a bar: what runs side by side lies side by side. Read aloud it is a table. */
export function Timeline({ bars, now, costs }: { bars: readonly Bar[]; now: number; costs: Costs }) {
  const from = Math.min(...bars.map((bar) => bar.from));
  const to = Math.max(...bars.map((bar) => bar.to ?? now), from + 1);
  const percent = (ms: number): string => `${((100 * ms) / (to - from)).toFixed(2)}%`;
  return (
    <table className="timeline">
      <caption>
        <span className="key model">model call</span> <span className="key tool">tool</span>{' '}
        <span className="key wait">wait at a gate</span> <span>{duration(to - from)} in all</span>
      </caption>
      <ListHead columns={['What', 'When', { number: 'Took' }]} />
      <tbody>
        {bars.map((bar) => {
          const end = bar.to ?? now;
          return (
            <tr key={bar.key} className={bar.kind}>
              <th scope="row">
                <span className="unseen">{kinds[bar.kind]}: </span>
                <span className="bar-label">{bar.label}</span>{' '}
                {bar.state === 'success' || bar.state === 'answered' ? null : (
                  <StateBadge state={bar.state} />
                )}
                <Detail bar={bar} costs={costs} />
              </th>
              <td>
                <span className="unseen">begins after {duration(bar.from - from)}</span>
                <div className="track" aria-hidden="true">
                  <div
                    className={`bar ${bar.kind} ${bar.to === undefined ? 'open' : ''}`}
                    style={{ left: percent(bar.from - from), width: percent(Math.max(0, end - bar.from)) }}
                  />
                </div>
              </td>
              <td className="number">{duration(end - bar.from)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Detail({ bar: { detail, spent }, costs }: { bar: Bar; costs: Costs }) {
  const cost = spent && costs.ofModel(spent.model, spent.usage);
  const parts = [
    detail,
    spent && `${tokens(spent.usage.inputTokens)} in, ${tokens(spent.usage.outputTokens)} out`,
    cost !== undefined && `cost ${money(cost)}`,
  ].filter(Boolean);
  return parts.length === 0 ? null : <span className="quiet-text bar-detail">{parts.join(' · ')}</span>;
}
