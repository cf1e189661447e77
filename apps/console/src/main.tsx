import { options, render } from 'preact';
import { ManagementApi } from './api/management-api';
import { App } from './app';
import { showHidden } from './hidden-characters';

options.vnode = showHidden;

const place = document.getElementById('console');
if (place) {
  place.replaceChildren();
  render(<App api={new ManagementApi()} />, place);
}
