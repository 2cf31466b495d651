import { useEffect, type ReactNode } from 'react';

/** The page's name, in the page and on its tab. */
export function PageHeading({ title, tab = title, children }: PageHeadingProps) {
  useEffect(() => {
    document.title = `${tab} · Durascope`;
  }, [tab]);
  return (
    <div className="page-heading">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

interface PageHeadingProps {
  title: string;
  /** Default: the title. */
  tab?: string;
  children?: ReactNode;
}
