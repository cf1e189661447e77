import { Problem, type ProblemSlug } from '@app/primitives/problems';
import type { CommandBus } from '@nestjs/cqrs';
import { AskInPage } from '../api';
import { AskInPageHandler } from './asked-in-page.handlers';
import type { RequestDefaults } from '../question/request-defaults';
import type { RequestsInPages } from './requests-in-pages';

const asked = new AskInPage('authorization-1', {
  query: { credentials: [] },
  returnTo: 'https://issuer.example/authorize/presentation?state=s',
  expiresIn: 'PT10M',
});

/** Asks where requests are refused so. @param found after that */
function askedOf(slug: ProblemSlug, found?: { outcome: 'over' }) {
  const commands = { execute: () => Promise.reject(new Problem(slug, 'refused')) } as unknown as CommandBus;
  const find = jest.fn().mockResolvedValueOnce(undefined).mockResolvedValue(found);
  const defaults = { verifierInfo: [] } as unknown as RequestDefaults;
  return new AskInPageHandler(commands, defaults, { find } as unknown as RequestsInPages).execute(asked);
}

it('a page that asks without the certificate that requests need learns that it cannot', async () => {
  expect(await askedOf('request-certificate-missing')).toEqual({ outcome: 'unavailable' });
});

it('a page that is opened twice at once finds the request of the other', async () => {
  const found = { outcome: 'over' } as const;
  expect(await askedOf('state-already-used', found)).toBe(found);
});

it('a page whose request is refused for another reason fails', async () => {
  await expect(askedOf('invalid-dcql-query')).rejects.toMatchObject({ slug: 'invalid-dcql-query' });
});
