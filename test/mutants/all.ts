import { accessMutants } from './access';
import { authorizationMutants } from './authorization';
import { consoleMutants } from './console';
import { databaseServerMutants } from './database-servers';
import { erasureKeyMutants } from './erasure-keys';
import { eventStoreMutants } from './event-store';
import { explorerMutants } from './explorer';
import { issuanceMutants } from './issuance';
import { keyProofMutants } from './key-proofs';
import { mailMutants } from './mail';
import { mdocMutants } from './mdocs';
import { mutantsIn } from './mutant';
import { offerMutants } from './offers';
import { pageMutants } from './pages';
import { presentationMutants } from './presentations';
import { proofMutants } from './proofs';
import { signerMutants } from './signers';
import { templateMutants } from './templates';
import { verificationMutants } from './verification';

export const allMutants = mutantsIn([
  ...accessMutants,
  ...consoleMutants,
  ...mailMutants,
  ...offerMutants,
  ...pageMutants,
  ...templateMutants,
  ...issuanceMutants,
  ...authorizationMutants,
  ...keyProofMutants,
  ...verificationMutants,
  ...presentationMutants,
  ...mdocMutants,
  ...eventStoreMutants,
  ...erasureKeyMutants,
  ...proofMutants,
  ...signerMutants,
  ...databaseServerMutants,
  ...explorerMutants,
]);
