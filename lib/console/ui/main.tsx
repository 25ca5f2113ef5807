import { render } from 'preact';
import { App } from './app.js';
import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/data.css';

const root = document.getElementById('root');
if (root !== null) {
  render(<App />, root);
}
