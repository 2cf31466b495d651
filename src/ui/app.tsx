export function App() {
  return <main>Durascope</main>;
}
