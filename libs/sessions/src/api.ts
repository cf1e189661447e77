export { rightsOf, scopesOfRoles } from './roles';
