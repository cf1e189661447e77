import { closed, component, eg, is, resource } from '@app/http';
import { credentialWithoutLinks, givenReference, shared } from './credentials.contract';

/** Credentials that one search shows. */
export const mostFound = 100;

class SearchBody {
  @is.Required('As it was submitted; case and the width of spaces do not count.', ...givenReference)
  readonly reference!: string;
}

/** A reference is personal data, so it is in no address. */
export const searches = resource(
  { ...shared, path: 'v0/searches' },
  {
    search: {
      id: 'searchCredentials',
      scope: 'credentials:read',
      route: 'POST',
      summary: 'Find credentials by the reference of the portal',
      description: `The newest first, at most ${mostFound}. What was erased is found no more.`,
      body: SearchBody,
      examples: { fileNumber: { reference: '2026/4711' } },
      answers: {
        200: {
          description: 'The credentials; none is no error.',
          schema: component(
            'FoundCredentials',
            closed({ items: eg([], { type: 'array', items: credentialWithoutLinks }) }),
          ),
        },
      },
    },
  },
);
