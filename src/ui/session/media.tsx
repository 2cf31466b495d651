import type { DataBlock } from '../../schema/message.ts';

/** Kinds of pictures that hold no script. */
const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export function Media({ block: { mediaType, source, name } }: { block: DataBlock }) {
  const title = name ?? mediaType;
  if (source.type === 'base64' && shown.has(mediaType))
    return <img className="media" src={`data:${mediaType};base64,${source.data}`} alt={title} />;
  if (source.type === 'url' && /^https?:/i.test(source.url))
    return (
      <p>
        <a href={source.url} target="_blank" rel="noopener noreferrer nofollow">
          {title}
        </a>
      </p>
    );
  return <p className="quiet-text">{title}</p>;
}
