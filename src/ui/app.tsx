import { QueryClientProvider } from '@tanstack/react-query';
import { useObservable } from './api/observable.ts';
import { isKeyWanted } from './api/key.ts';
import { queryClient } from './api/queries.ts';
import { KeyPage } from './pages/key-page.tsx';
import { Frame } from './frame.tsx';
import { Screen } from './screen.tsx';
import { useAddress } from './parts/router.tsx';

export function App() {
  const address = useAddress();
  const needsKey = useObservable(isKeyWanted);
  return (
    <QueryClientProvider client={queryClient}>
      {needsKey ? (
        <KeyPage />
      ) : (
        <Frame address={address}>
          <Screen address={address} />
        </Frame>
      )}
    </QueryClientProvider>
  );
}
