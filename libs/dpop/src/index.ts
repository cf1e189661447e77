export { verifyDpopProof } from './dpop-proof';
