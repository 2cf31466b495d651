import { useEffect, useState } from 'react';

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const name = 'durascope.theme';

/** Light or dark, by default as the system has it. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(read);
  useEffect(() => {
    if (theme === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    try {
      localStorage.setItem(name, theme);
    } catch {
      // It lasts as long as the page then.
    }
  }, [theme]);
  return (
    <label className="theme">
      <span className="unseen">Theme</span>
      <select value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
        <option value="auto">Auto theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function read(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(name)) ?? 'auto';
  } catch {
    return 'auto';
  }
}
