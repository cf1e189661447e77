export { ExplorerModule } from './explorer.module';
