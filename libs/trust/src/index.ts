export { type TrustAnchor, type TrustPurpose, trustPurposes } from './trust-anchor';
export { TrustAnchors } from './trust-anchors';
export { TrustModule } from './trust.module';
