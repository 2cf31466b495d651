import { Fragment, memo, useMemo, type ReactNode } from 'react';
import { lexer, type Token, type Tokens } from 'marked';

/**
 * Markdown as elements: nothing of it becomes markup of its own. HTML is shown as the text that it is, links lead only to the web, and
 * pictures are links, so that a message loads nothing from elsewhere.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text, { gfm: true, breaks: true }), [text]);
  return <div className="markdown">{blocks(tokens)}</div>;
});

function blocks(tokens: readonly Token[]): ReactNode[] {
  return tokens.map((token, index) => <Fragment key={index}>{block(token)}</Fragment>);
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <p className="markdown-heading">{spans(token.tokens)}</p>;
    case 'paragraph':
      return <p>{spans(token.tokens)}</p>;
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>;
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return <hr />;
    case 'text':
      return token.tokens ? spans(token.tokens) : token.raw;
    default:
      return token.raw;
  }
}

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const children = items.map((item, index) => (
    <li key={index}>
      {item.task ? (
        <input type="checkbox" checked={item.checked === true} disabled aria-label="done" />
      ) : null}
      {blocks(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>;
}

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col">
                {spans(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{spans(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function spans(tokens: readonly Token[] = []): ReactNode[] {
  return tokens.map((token, index) => <Fragment key={index}>{span(token)}</Fragment>);
}

function span(token: Token): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? spans(token.tokens) : token.raw;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'strong':
      return <strong>{spans(token.tokens)}</strong>;
    case 'em':
      return <em>{spans(token.tokens)}</em>;
    case 'del':
      return <del>{spans(token.tokens)}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Away href={(token as Tokens.Link).href}>{spans(token.tokens)}</Away>;
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return <Away href={href}>{text || href}</Away>;
    }
    default:
      return token.raw;
  }
}

/** Only to the web: no script, no data, nothing of this machine. */
function Away({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?|mailto):/i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
