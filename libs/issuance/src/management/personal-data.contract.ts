import { resource } from '@app/http';
import { ofCredential } from './credentials.contract';

export const credentialPersonalData = resource(ofCredential, {
  erase: {
    id: 'eraseCredentialPersonalData',
    route: 'DELETE :credentialId/personal_data',
    freshness: true,
    summary: 'Erase the personal data of a credential permanently',
    description:
      'Destroys the key of the claims, so that they can be read nowhere any more; backups made before keep both until they ' +
      'expire. The credential stays in lists, without its claims. A wallet can no longer fetch it; one that has it ' +
      'keeps it. Its offer or authorization is erased too; other credentials of these, such as those of a refreshed token, are ' +
      'erased by themselves. A repetition changes nothing.',
    answers: { 204: 'The personal data is erased.' },
  },
});
