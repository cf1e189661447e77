import { access } from './access';
import { addresses } from './addresses';
import { bodies } from './bodies';
import { credentials } from './credentials';
import { lists } from './lists';
import type { Chapter } from './mistake';
import { offers } from './offers';
import { presentations } from './presentations';
import { templates } from './templates';

/** What authors of portals got wrong, by what they were about. */
export const mistakes: readonly Chapter[] = [
  access,
  addresses,
  bodies,
  offers,
  credentials,
  templates,
  presentations,
  lists,
];
