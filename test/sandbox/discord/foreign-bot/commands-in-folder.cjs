const fs = require('node:fs');
const path = require('node:path');

const folder = path.join(__dirname, 'commands');
module.exports = fs.readdirSync(folder).map((file) => require(path.join(folder, file)));
