/** The head of a table: a heading for each column, `{ number }` for one whose cells stand at the right. */
export function ListHead({ columns }: { columns: readonly (string | { number: string })[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) =>
          typeof column === 'string' ? (
            <th key={column} scope="col">
              {column}
            </th>
          ) : (
            <th key={column.number} scope="col" className="number">
              {column.number}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}
