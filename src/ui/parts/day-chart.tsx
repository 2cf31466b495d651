import { useId } from 'react';

interface DayChartProps {
  title: string;
  /** By day, as YYYY-MM-DD; days without a value are drawn as empty. */
  values: readonly [day: string, value: number][];
  format: (value: number) => string;
}

const dayMs = 86_400_000;
const shownDays = 30;
const [width, height, gap] = [600, 120, 2];

/** Columns, one a day, up to today; read aloud it is the list of its values. */
export function DayChart({ title, values, format }: DayChartProps) {
  const id = useId();
  const byDay = new Map(values);
  const today = new Date().toISOString().slice(0, 10);
  const days = Array.from({ length: shownDays }, (_, index) =>
    new Date(Date.parse(today) - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
  const most = Math.max(...values.map(([, value]) => value));
  const total = values.reduce((sum, [, value]) => sum + value, 0);
  const step = width / shownDays;
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <strong>{title}</strong> {format(total)}
        <span className="quiet-text"> · at most {format(most)} a day</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} className="axis" />
        {days.map((day, index) => {
          const value = byDay.get(day) ?? 0;
          const tall = value === 0 || most === 0 ? 0 : Math.max(2, (value / most) * (height - 4));
          return (
            <rect
              key={day}
              x={index * step + gap / 2}
              y={height - tall}
              width={step - gap}
              height={tall}
              rx="1"
            >
              <title>{`${day}: ${format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className="chart-ends" aria-hidden="true">
        <span>{days[0]}</span>
        <span>{today}</span>
      </p>
      <ul className="unseen">
        {values.map(([day, value]) => (
          <li key={day}>{`${day}: ${format(value)}`}</li>
        ))}
      </ul>
    </figure>
  );
}
