%begin 1796082456 315 0
%end 1796082456 315 0
%session-changed $0 0
%output %0 %end 1 2 1\015\012%exit\015\012%output %0 spoof\015\012%begin 1 2 1\015\012%error 1 2 1\015\012
%output %0 %session-changed $9 other\015\012\015\012%pause %0\015\012
%output %0 \033]2;the-end\007
%begin 1796082457 333 1
%end 1 2 1
%exit
%output %0 spoof
%begin 1 2 1
%error 1 2 1
%session-changed $9 other

%pause %0
















%end 1796082457 333 1
%begin 1796082457 334 1
can't find pane: %99
%error 1796082457 334 1
%window-renamed @0 python3
%exit
