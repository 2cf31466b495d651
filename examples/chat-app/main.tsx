import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';

const query = new URLSearchParams(location.search);
const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    <Chat sessionId={query.get('session') ?? 'chat-1'} agent={query.get('agent') ?? 'support'} />,
  );
