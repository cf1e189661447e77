import { options, render } from 'preact';
import { ManagementApi } from './api/management-api';
import { App } from './app';
import { showHidden } from './hidden-characters';
import { keepLanguage, loadLanguage, preferredLanguage } from './language';
import type { Language } from './texts';

options.vnode = showHidden;

const place = document.getElementById('console');
const api = new ManagementApi();

async function show(language: Language): Promise<void> {
  await loadLanguage(language);
  const choose = (chosen: Language): void => {
    keepLanguage(chosen);
    void show(chosen);
  };
  if (!place) return;
  render(<App api={api} issuer={place.dataset['issuer']} language={language} onLanguage={choose} />, place);
}

place?.replaceChildren();
void show(preferredLanguage());
