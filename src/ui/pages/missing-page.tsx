import { Empty } from '../parts/states.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Link } from '../parts/router.tsx';

export function MissingPage() {
  return (
    <>
      <PageHeading title="There is no such page" />
      <Empty title="Nothing is at this address">
        <p>
          <Link href="/gates">Go to the gates</Link>
        </p>
      </Empty>
    </>
  );
}
