export { type TrustAnchor, type TrustPurpose, trustPurposes } from './trust-anchor';
export { TrustAnchors, type TrustState } from './trust-anchors';
export { TrustLists } from './trust-lists';
export { TrustModule } from './trust.module';
