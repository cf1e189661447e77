import { render } from 'preact';
import { ManagementApi } from './api/management-api';
import { App } from './app';

const place = document.getElementById('console');
if (place) {
  place.replaceChildren();
  render(<App api={new ManagementApi()} />, place);
}
