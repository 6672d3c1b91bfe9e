output "network" {
  description = "The network to peer."
  value = {
    vpc         = aws_vpc.this.id
    owner       = aws_vpc.this.owner_id
    cidr        = aws_vpc.this.cidr_block
    route_table = aws_route_table.this.id
  }
}

output "servers" {
  description = "The servers' machines, by name."
  value       = { for name, one in aws_instance.server : name => { public = one.public_ip, private = one.private_ip } }
}

output "clients" {
  description = "The client machines, by name."
  value       = { for name, one in aws_instance.client : name => { public = one.public_ip, private = one.private_ip } }
}
