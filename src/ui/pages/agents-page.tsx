import { useAgents } from '../api/queries.ts';
import { ruleText } from '../gates/rule-text.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Link } from '../parts/router.tsx';

export function AgentsPage() {
  const { data, error, refetch } = useAgents();
  return (
    <>
      <PageHeading title="Agents" />
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Loading what="agents" /> : null}
      {data?.length === 0 ? (
        <Empty title="This server knows no agents">
          <p>Start it in the folder of a durascope.config.ts, or with --config.</p>
        </Empty>
      ) : null}
      <ul className="cards">
        {(data ?? []).map(({ name, description, model, tools, maxIterations, permissions, revision }) => (
          <li key={name} className="panel">
            <h2>{name}</h2>
            {description === undefined ? null : <p>{description}</p>}
            <dl className="figures">
              <div>
                <dt>model</dt>
                <dd>{model}</dd>
              </div>
              <div>
                <dt>steps a turn, at most</dt>
                <dd>{maxIterations}</dd>
              </div>
              <div>
                <dt>permissions</dt>
                <dd>
                  {permissions.mode}
                  {permissions.rules.map((rule) => ` · ${rule.behavior} ${ruleText(rule)}`).join('')}
                </dd>
              </div>
              <div>
                <dt>revision</dt>
                <dd>
                  <code>{revision.slice(0, 12)}</code>
                </dd>
              </div>
            </dl>
            {tools.length === 0 ? null : (
              <details>
                <summary>
                  {tools.length} {tools.length === 1 ? 'tool' : 'tools'}
                </summary>
                <dl className="tools">
                  {tools.map((tool) => (
                    <div key={tool.name}>
                      <dt>
                        <code>{tool.name}</code>
                      </dt>
                      <dd>{tool.description}</dd>
                    </div>
                  ))}
                </dl>
              </details>
            )}
            <p>
              <Link href={`/sessions?${new URLSearchParams({ agent: name }).toString()}`}>
                Sessions<span className="unseen"> of {name}</span>
              </Link>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
